export { eraseMonitors } from './erase-monitors.queries.js';
export { MONITOR_EXAMPLES } from './example-ids.js';
