import { installFetch } from "./record/install-fetch.ts";

installFetch();
