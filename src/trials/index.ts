export { TrialsModule } from './trials.module.js';
