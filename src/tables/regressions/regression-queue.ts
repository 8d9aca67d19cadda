export const REGRESSION_QUEUE = 'regressions';
