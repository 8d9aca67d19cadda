/**
 * The id of a cell is its address written as a UUID (version 8), so cells need no id column and no second index: 64
 * bits of column key, 32 bits of row index, and 26 check bits that distinguish an id from a random UUID.
 */
export interface CellAddress {
  columnKey: string;
  rowIndex: number;
}

const FORMAT = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/;
const CHECK_BITS = 26;
const CHECK_MASK = 2 ** CHECK_BITS - 1;

/** Returns a function for the ids of one column's cells. The column's part is computed once. */
export function cellIds(columnKey: string): (rowIndex: number) => string {
  const key = BigInt.asUintN(64, BigInt(columnKey));
  const high = (key >> 16n).toString(16).padStart(12, '0');
  const middle = ((key >> 4n) & 0xfffn).toString(16).padStart(3, '0');
  const prefix = `${high.slice(0, 8)}-${high.slice(8)}-8${middle}-`;
  const lowest = Number(key & 0xfn);
  const seed = seedOf(key);
  return (rowIndex) => {
    // The variant bits 10, the last 4 bits of the key, 32 bits of row, 26 bits of check.
    const first = ((2 << 30) | (lowest << 26) | (rowIndex >>> 6)) >>> 0;
    const second = (((rowIndex & 63) << CHECK_BITS) | checkOf(seed, rowIndex)) >>> 0;
    const tail = hex32(first) + hex32(second);
    return `${prefix}${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}

/** The address in an id, or null when it is not the id of any cell. */
export function parseCellId(id: string): CellAddress | null {
  const match = FORMAT.exec(id.toLowerCase());
  if (!match) return null;
  const tail = match[4]! + match[5]!;
  const first = Number.parseInt(tail.slice(0, 8), 16);
  const second = Number.parseInt(tail.slice(8), 16);
  const key = (BigInt(`0x${match[1]}${match[2]}${match[3]}`) << 4n) | BigInt((first >>> 26) & 0xf);
  const rowIndex = (((first & CHECK_MASK) << 6) | (second >>> CHECK_BITS)) >>> 0;
  if ((second & CHECK_MASK) !== checkOf(seedOf(key), rowIndex)) return null;
  return { columnKey: BigInt.asIntN(64, key).toString(), rowIndex };
}

/** A lookup table is faster than converting digits: a page of rows has thousands of ids. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex32(value: number): string {
  return HEX[value >>> 24]! + HEX[(value >>> 16) & 255]! + HEX[(value >>> 8) & 255]! + HEX[value & 255]!;
}

function seedOf(key: bigint): number {
  return (Number(key & 0xffffffffn) ^ Math.imul(Number(key >> 32n), 0x9e3779b1)) >>> 0;
}

/** Mixes key and row so that any changed digit of an id is very likely detected. */
function checkOf(seed: number, rowIndex: number): number {
  let hash = Math.imul(seed ^ 0x5bd1e995, 0x85ebca6b) ^ rowIndex;
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return ((hash ^ (hash >>> 16)) >>> 0) & CHECK_MASK;
}
