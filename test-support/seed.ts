/**
 * Properties draw the same values in each run, here and in CI, so that a commit gets one verdict. `npm run explore`
 * sets another seed, and the path of one find to look at it again.
 */
import { configureGlobal } from "fast-check";

const SEED = 0x7e57;

const { VERITEST_SEED: seed, VERITEST_SEED_PATH: path } = process.env;
configureGlobal({ seed: seed === undefined ? SEED : Number(seed), ...(path === undefined ? {} : { path }) });
