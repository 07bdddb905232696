// What Vitest's set-up files need, gathered in one file that Node loads: see INSTALLER in late-parts.ts.
export { installVitest, type VitestModule, type VitestSuiteModule } from "../session/install-vitest.ts";
export { addSerializer, type SerializerTaker } from "../serializer/add-serializer.ts";
