import { recordGlobalFetch } from "./record/interceptors/fetch-recorder.ts";
import { useFetchInOlderSdks } from "./record/interceptors/older-sdks.ts";

recordGlobalFetch();
useFetchInOlderSdks();
