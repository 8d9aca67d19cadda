import { StartError } from './start-error.js';

/** Whether the arguments ask for the usage. */
export const asksForHelp = (args: string[]): boolean => args.some((word) => word === '--help' || word === '-h');

/**
 * For processes that take no arguments: `--help` prints the usage and ends the process.
 * @throws StartError for any other argument, which would be ignored otherwise
 */
export function takeNoArguments(usage: string, args = process.argv.slice(2)): void {
  if (asksForHelp(args)) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  if (args.length > 0)
    throw new StartError(`This command takes no arguments, so "${args[0]}" cannot be used.\n\n${usage}`);
}
