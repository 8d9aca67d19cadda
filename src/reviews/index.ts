export { eraseComments } from './erase-comments.queries.js';
