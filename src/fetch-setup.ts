import { recordGlobalFetch } from "./record/interceptors/fetch-recorder.ts";

recordGlobalFetch();
