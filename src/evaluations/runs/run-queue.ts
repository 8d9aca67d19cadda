/** Rings for runs that may be filled or scored. */
export const RUN_QUEUE = 'evaluation-runs';
