import { startPage } from "./page.ts";
import { serverOf } from "./served.ts";

startPage(serverOf);
