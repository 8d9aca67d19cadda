import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../src/embedded/ports.js';
import { hasExited } from '../../src/embedded/server-process.js';
import { until } from './until.js';

const ADMIN = { username: 'admin', password: 'the administrator of a test' };
/** It starts within half a minute on two cores, and in some minutes beside other work. */
const START_MS = 570_000;
const KEPT_OUTPUT = 4000;

/** The folder of a Keycloak that is installed; null without one. CONTRIBUTING.md says how to get it. */
export function keycloakHome(): string | null {
  const home = process.env.KEYCLOAK_HOME;
  return home && existsSync(path.join(home, 'bin/kc.sh')) ? home : null;
}

/** A Keycloak of its own, with everything in memory. */
export class Keycloak {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly origin: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-KEPT_OUTPUT);
      });
    }
  }

  static async start(home: string): Promise<Keycloak> {
    const port = await freePort();
    const args = ['start-dev', '--db=dev-mem', '--http-host=127.0.0.1', `--http-port=${port}`, '--cache=local'];
    const env = {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    };
    // A group of its own: the script starts Java as another process.
    const child = spawn(path.join(home, 'bin/kc.sh'), args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const keycloak = new Keycloak(child, `http://127.0.0.1:${port}`);
    try {
      await until(() => keycloak.answers(), START_MS);
    } catch (error) {
      await keycloak.stop();
      throw new Error(`Keycloak did not start:\n${keycloak.output}`, { cause: error });
    }
    return keycloak;
  }

  /** Ends it with its realms. */
  async stop(): Promise<void> {
    if (hasExited(this.child)) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    process.kill(-this.child.pid!, 'SIGTERM');
    await ended;
  }

  /** A request of its administrator. Answers with the body, or the id in the Location of what was created. */
  async administer(method: string, url: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${this.origin}/admin/realms${url}`, {
      method,
      headers: { authorization: `Bearer ${await this.token()}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`);
    return text === '' ? (answer.headers.get('location')?.split('/').at(-1) ?? null) : JSON.parse(text);
  }

  private async token(): Promise<string> {
    const form = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN });
    const url = `${this.origin}/realms/master/protocol/openid-connect/token`;
    const answer = await fetch(url, { method: 'POST', body: form });
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  private async answers(): Promise<boolean> {
    if (hasExited(this.child)) throw new Error('Keycloak ended while it was starting.');
    const answer = await fetch(`${this.origin}/realms/master`).catch(() => null);
    await answer?.arrayBuffer();
    return answer?.ok ?? false;
  }
}
