import net from 'node:net';
import { LaunchError } from './launch-error.js';

const LOCALHOST = '127.0.0.1';

/** A free port on 127.0.0.1: the preferred one when nobody uses it, else any. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred) {
    const port = await tryToListen(preferred, LOCALHOST).catch(() => null);
    if (port) return port;
  }
  return tryToListen(0, LOCALHOST);
}

/** @throws LaunchError when the product cannot listen on the port */
export async function assertPortAvailable(port: number): Promise<void> {
  try {
    await listenOnAllAddresses(port);
  } catch (error) {
    throw new LaunchError(describe(error as NodeJS.ErrnoException, port));
  }
}

function describe(error: NodeJS.ErrnoException, port: number): string {
  if (error.code === 'EADDRINUSE') {
    return `Port ${port} is already used by another program. Stop that one, or choose another port: PORT=${port + 1} npm start`;
  }
  if (error.code === 'EACCES')
    return `This user may not listen on port ${port}. Choose one above 1023: PORT=3000 npm start`;
  return `Port ${port} cannot be used: ${error.message}`;
}

async function listenOnAllAddresses(port: number): Promise<void> {
  try {
    await tryToListen(port, '::');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw error;
    await tryToListen(port, '0.0.0.0'); // a machine without IPv6
  }
}

function tryToListen(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address() as net.AddressInfo;
      server.close(() => resolve(address.port));
    });
  });
}
