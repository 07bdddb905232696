import { recordGlobalFetch } from "./record/interceptors/fetch-recorder.ts";
import { useGlobalFetch } from "./record/interceptors/use-global-fetch.ts";

recordGlobalFetch();
useGlobalFetch();
