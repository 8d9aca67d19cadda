export const SCORE_QUEUE = 'scores';
