export { eraseFeeds } from './erase-feeds.queries.js';
