import './write-bigints.js';

/** The reader of all JSON that is stored or compared. The bigints it gives are written as digits by JSON.stringify. */
export { parseWithBigints as readJson } from './parse-bigints.js';
