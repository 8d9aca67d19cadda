export const RUN_STATUSES = ['running', 'finished', 'cancelled'] as const;

/** Of a run as a whole. `finished`: every node is final, also when some have failed. */
export type RunStatus = (typeof RUN_STATUSES)[number];
