/** SQL condition: no worker holds the row. */
export const isFree = (row: string): string => `(${row}.lease_until IS NULL OR ${row}.lease_until < now())`;
