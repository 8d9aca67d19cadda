import { StartError } from '../platform/start-error.js';

/** An error that stops the launcher, at the start or later. */
export class LaunchError extends StartError {
  override readonly name = 'LaunchError';
}
