import { startPage } from "./page.ts";
import { serverOf } from "./served.ts";

void startPage(serverOf);
