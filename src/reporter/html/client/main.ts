import { startPage } from "./page.ts";

void startPage(null);
