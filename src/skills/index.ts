export { SKILL_EXAMPLES } from './example-ids.js';
