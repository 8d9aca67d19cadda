export { ConsoleSessions } from './console-sessions.service.js';
export { serveConsole } from './serve-console.js';
export { tokenIn } from './session-cookie.js';
