import { StartError } from '../platform/start-error.js';

/** What keeps the launcher from starting, or from going on. */
export class LaunchError extends StartError {
  override readonly name = 'LaunchError';
}
