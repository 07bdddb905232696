import { installFetch } from "./record/interceptors/fetch-tape.ts";

installFetch();
