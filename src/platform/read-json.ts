import { parseWithBigints } from './parse-bigints.js';
import { writeBigints } from './write-bigints.js';

// Who can read them can write them.
writeBigints();

/** The reader of all JSON that is stored or compared. Integers beyond 2^53 are bigints, which JSON.stringify writes as their digits. */
export const readJson = parseWithBigints;
