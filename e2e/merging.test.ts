import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { anyRunner } from "./harness/runners.ts";

/** A test whose two facts stand apart, so that git merges changes of both. */
const testOf = (total: number, city: string): string => `import { expect, test } from "runner";

const total = ${total};

// Between two facts that two people change.
const found = { total, place: {} };
// Git has to see that these lines stay.

found.place.city = "${city}";

test("a receipt", async () => {
  await expect(found).toMatchBaseline({ name: "receipt" });
});
`;

/** Somebody's change on a branch of its own, accepted by `-u`. */
async function change(project: Project, branch: string, text: string): Promise<void> {
  await project.git("switch", "-qc", branch, "main");
  project.write({ "receipt.test.js": text });
  expect(await project.run(["-u"])).toMatchObject({ exitCode: 0 });
  await project.git("add", "-A");
  await project.git("commit", "-qm", branch);
}

describe.each(anyRunner)("$name", (runner) => {
  test("git merges two accepted changes of one case, and the next run is clean", async () => {
    const project = createProject(runner);
    project.write({ "receipt.test.js": testOf(9, "Leeds"), ".gitignore": "node_modules\n" });
    await project.git("init", "-q");
    await project.capture();
    expect(await project.cli(["merge-driver", "install"])).toMatchObject({ exitCode: 0, stderr: "" });
    await project.git("add", "-A");
    await project.git("commit", "-qm", "base");
    await change(project, "total", testOf(10, "Leeds"));
    await change(project, "city", testOf(9, "York"));
    await project.git("merge", "-q", "--no-edit", "total");
    const after = await project.run();
    expect(after.exitCode).toBe(0);
    expect(after.summary).toMatch(/^Baselines {2}.*1 clean/);
    expect(await project.cli(["check"])).toMatchObject({ exitCode: 0 });
  });
});
