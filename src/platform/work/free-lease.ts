/** SQL that tells whether a row of work is in the hands of no worker. */
export const isFree = (row: string): string => `(${row}.lease_until IS NULL OR ${row}.lease_until < now())`;
