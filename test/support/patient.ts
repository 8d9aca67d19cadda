/**
 * Environment of a server on a busy machine: no process loses its work, and no statement fails for want of a connection.
 * Work that failed goes on before a test gives up (`until`).
 */
export const PATIENT = { LEASE_MS: '120000', DATABASE_WAIT_MS: '3600000' };
