export const RUN_STATUSES = ['running', 'finished', 'cancelled'] as const;

/** Status of a whole run. `finished`: every node is final, even if some have failed. */
export type RunStatus = (typeof RUN_STATUSES)[number];
