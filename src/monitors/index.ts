export { eraseMonitors } from './erase-monitors.queries.js';
