export { eraseReportScores } from './scores/erase-scores.queries.js';
