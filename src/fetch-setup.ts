import { installFetch } from "./record/tape/fetch-tape.ts";

installFetch();
