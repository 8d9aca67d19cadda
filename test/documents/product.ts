import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../src/embedded/ports.js';
import { testFolder } from '../support/services.js';
import { ROOT } from './pages.js';

const LAUNCHER = path.join(ROOT, 'dist/src/embedded/launcher.js');
const FILLED_IN = /Added the prompt/;

/** The processes of `npm start`, on a port and a data folder of their own. */
export class Product {
  private constructor(
    private readonly launcher: ChildProcess,
    /** Environment variables for commands. */
    readonly env: Record<string, string>,
  ) {}

  /** Resolves once the example data are there. */
  static async start(): Promise<Product> {
    const env = {
      DATA_DIR: testFolder(),
      PORT: String(await freePort()),
      ADMIN_TOKEN: randomBytes(24).toString('hex'),
      // Receivers of webhooks run beside the commands.
      OUTBOUND_ALLOW_PRIVATE: 'on',
    };
    const launcher = spawn(process.execPath, [LAUNCHER], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    await new Promise<void>((resolve, reject) => {
      for (const stream of [launcher.stdout, launcher.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          if (FILLED_IN.test(output)) resolve();
        });
      launcher.once('exit', () => reject(new Error(`The product did not start:\n${output}`)));
    });
    return new Product(launcher, env);
  }

  async stop(): Promise<void> {
    const gone = once(this.launcher, 'exit');
    this.launcher.kill('SIGTERM');
    await gone;
    rmSync(this.env.DATA_DIR, { recursive: true, force: true });
  }
}
