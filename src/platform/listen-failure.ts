import { StartError } from './start-error.js';

interface WantedAddress {
  host?: string;
  port: number;
  /** Explains how to choose another port, such as "set PORT to another one". */
  choosePort(other: number): string;
}

/** Why a server cannot listen, and what to change. */
export function listenFailure(error: NodeJS.ErrnoException, { host, port, choosePort }: WantedAddress): StartError {
  const { code, message } = error;
  if (code === 'EADDRINUSE') {
    const other = port < 65_535 ? port + 1 : port - 1;
    return new StartError(
      `Port ${port} is already used by another program. Stop that one, or choose another port: ${choosePort(other)}`,
    );
  }
  if (code === 'EACCES')
    return new StartError(`This user may not listen on port ${port}. Choose one above 1023: ${choosePort(3000)}`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new StartError(
      `This machine has no address ${host}. Set HOST to one that it has, or to 0.0.0.0 for all of them.`,
    );
  return new StartError(`Port ${port} cannot be used: ${message}`);
}
