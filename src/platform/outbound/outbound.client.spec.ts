import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { OutboundClient, OutboundFailure, type OutboundRequest } from './outbound.client.js';

const strict = new OutboundClient({ outboundAllowPrivate: false });
const open = new OutboundClient({ outboundAllowPrivate: true });

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(10_000);
}

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a server on loopback; returns its port and the requests it got. */
async function serve(listener: http.RequestListener): Promise<{ port: number; seen: http.IncomingMessage[] }> {
  const seen: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, seen };
}

const post = (url: string, limits: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'text/plain' },
  body: 'hello',
  timeoutMs: 5000,
  maxResponseBytes: 100,
  ...limits,
});

describe('a URL', () => {
  it.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://2130706433',
    'http://0x7f000001/',
    'http://0177.0.0.1',
    'http://0/',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:a9fe:a9fe]',
    'http://[fe80::1]',
    'http://169.254.169.254/latest/meta-data',
    'https://10.0.0.1:8443',
    'http://localhost',
    'http://LOCALHOST.',
    'http://api.localhost:3000',
    'http://１２７.0.0.1',
  ])('%s is refused at once, and only where private addresses are not allowed', (url) => {
    expect(strict.findProblem(url)).toMatch('not on the public internet');
    expect(open.findProblem(url)).toBeNull();
  });

  it.each(['', 'x', 'ftp://example.com', 'file:///etc/passwd', 'javascript:alert(1)', '//example.com', 'http://'])(
    '"%s" cannot be called',
    (url) => expect(open.findProblem(url)).toMatch('must start with http'),
  );

  it('may not contain credentials', () => {
    expect(open.findProblem('https://me:secret@example.com')).toMatch('user name');
    expect(open.findProblem('https://me@example.com')).toMatch('user name');
  });

  it.each(['https://example.com/a?b=c', 'http://8.8.8.8:8080', 'https://[2606:4700::1111]/', 'http://localhost.com'])(
    '%s may be called',
    (url) => expect(strict.findProblem(url)).toBeNull(),
  );
});

describe('a call', () => {
  it('sends what it is given and returns the answer', async () => {
    const bodies: string[] = [];
    const { port, seen } = await serve((request, response) => {
      request
        .on('data', (piece: Buffer) => bodies.push(piece.toString()))
        .on('end', () => response.writeHead(201, { 'X-Kind': 'test' }).end('ok'));
    });
    const answer = await open.send(post(`http://localhost:${port}/hook?a=1`));
    expect({ ...answer, body: answer.body.toString() }).toMatchObject({ status: 201, body: 'ok', truncated: false });
    expect(answer.headers).toMatchObject({ 'x-kind': 'test' });
    expect(bodies.join('')).toBe('hello');
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/hook?a=1', headers: { host: `localhost:${port}` } });
  });

  it.each(['127.0.0.1', '[::1]', 'localhost', '2130706433'])(
    'never reaches %s where that is not allowed',
    async (host) => {
      const { port, seen } = await serve((_, response) => response.end());
      await expect(strict.send(post(`http://${host}:${port}`))).rejects.toThrow('not on the public internet');
      expect(seen).toHaveLength(0);
    },
  );

  it('never reaches a loopback address behind a name', async () => {
    const { port, seen } = await serve((_, response) => response.end());
    // A client that does not check the name itself.
    const blind = new (class extends OutboundClient {
      override findProblem(): null {
        return null;
      }
    })({ outboundAllowPrivate: false });
    await expect(blind.send(post(`http://localhost:${port}`))).rejects.toThrow('not on the public internet');
    expect(seen).toHaveLength(0);
  });

  it('does not follow redirects', async () => {
    const { port, seen } = await serve((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect(await open.send(post(`http://127.0.0.1:${port}`))).toMatchObject({ status: 302 });
    expect(seen).toHaveLength(1);
  });

  it('reads an endless answer up to the limit', async () => {
    const { port } = await serve((_, response) => {
      const more = (): void => {
        while (response.writable && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    const answer = await open.send(post(`http://127.0.0.1:${port}`));
    expect([answer.body.length, answer.truncated]).toEqual([100, true]);
  });

  it.each<[string, http.RequestListener]>([
    ['nothing', () => undefined],
    ['half an answer', (_, response) => response.writeHead(200).write('x')],
  ])('ends in time when the other side sends %s', async (_, listener) => {
    const { port } = await serve(listener);
    const call = open.send(post(`http://127.0.0.1:${port}`, { timeoutMs: 100 }));
    await expect(call).rejects.toThrow(new OutboundFailure('There was no whole answer within 100 ms.'));
  });

  it('ends at once when it is aborted, also before it has begun', async () => {
    const aborting = new AbortController();
    const reason = new Error('not wanted any more');
    const { port, seen } = await serve((request) => {
      request.socket.on('close', () => (closed = true));
      aborting.abort(reason);
    });
    let closed = false;
    const request = post(`http://127.0.0.1:${port}`, { signal: aborting.signal });
    await expect(open.send(request)).rejects.toBe(reason);
    await expect.poll(() => closed).toBe(true);
    await expect(open.send(request)).rejects.toBe(reason);
    expect(seen).toHaveLength(1);
  });

  it('that is not aborted still ends in time', async () => {
    const { port } = await serve(() => undefined);
    const { signal } = new AbortController();
    const call = open.send(post(`http://127.0.0.1:${port}`, { timeoutMs: 100, signal }));
    await expect(call).rejects.toThrow(new OutboundFailure('There was no whole answer within 100 ms.'));
  });

  it('fails when the server switches protocols', async () => {
    const { port } = await serve((_, response) => {
      response.socket!.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    });
    const call = open.send(post(`http://127.0.0.1:${port}`, { timeoutMs: 200 }));
    await expect(call).rejects.toThrow(OutboundFailure);
  });

  it('says how a connection failed without naming addresses', async () => {
    const { port } = await serve((request) => request.socket.destroy());
    await expect(open.send(post(`http://127.0.0.1:${port}`))).rejects.toThrow('The connection failed (ECONNRESET).');
    await expect(open.send(post('http://127.0.0.1:1'))).rejects.toThrow('The connection failed (ECONNREFUSED).');
  });
});

describe('a fetch', () => {
  it('sends what it is given and streams the answer', async () => {
    const { port, seen } = await serve((request, response) => {
      request.pipe(response.writeHead(201, { 'x-kind': 'echo' }));
    });
    const answer = await open.fetch(new URL(`http://localhost:${port}/a?b=1`), {
      method: 'POST',
      headers: new Headers({ 'x-team': 'support' }),
      body: 'hello',
    });
    expect([answer.status, answer.ok, answer.headers.get('x-kind'), await answer.text()]).toEqual([
      201,
      true,
      'echo',
      'hello',
    ]);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/a?b=1', headers: { 'x-team': 'support' } });
  });

  it.each(['manual', 'follow', 'error'] as const)('does not follow redirects (%s)', async (redirect) => {
    const { port, seen } = await serve((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    const answer = await open.fetch(`http://127.0.0.1:${port}`, { redirect });
    expect([answer.status, answer.headers.get('location'), seen.length]).toEqual([302, '/elsewhere', 1]);
  });

  it.each(['http://127.0.0.1', 'http://[::1]', 'http://localhost', 'http://2130706433', 'ftp://example.com', 'x'])(
    'refuses %s before a name lookup',
    async (url) => {
      await expect(strict.fetch(url)).rejects.toThrow(/^The URL is refused\./);
    },
  );

  it('describes a failed connection without addresses, and keeps the cause', async () => {
    const { port } = await serve((request) => request.socket.destroy());
    const reset = open.fetch(`http://127.0.0.1:${port}`);
    await expect(reset).rejects.toThrow(new OutboundFailure('The connection failed (ECONNRESET).'));
    await expect(reset).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } });
    servers.splice(0).forEach((server) => server.close());
    await expect(open.fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('The connection failed (ECONNREFUSED).');
  });

  it('ends at once when it is aborted: before it begins, while it waits and while it reads', async () => {
    const { port, seen } = await serve((request, response) => {
      if (request.url === '/half') response.writeHead(200).write('half');
    });
    const url = `http://127.0.0.1:${port}`;
    const reason = new Error('not wanted any more');
    await expect(open.fetch(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(seen).toHaveLength(0);
    const waiting = new AbortController();
    const call = open.fetch(url, { signal: waiting.signal });
    await expect.poll(() => seen.length).toBe(1);
    waiting.abort(reason);
    await expect(call).rejects.toBe(reason);
    const reading = new AbortController();
    const answer = await open.fetch(`${url}/half`, { signal: reading.signal });
    reading.abort(reason);
    await expect(answer.text()).rejects.toBe(reason);
  });

  it.each([
    ['an answer without end', (response: http.ServerResponse) => void Readable.from(endless()).pipe(response)],
    [
      'a short one that becomes long by decompression',
      (response: http.ServerResponse) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000))),
    ],
  ])('reads only so much of %s, and closes the connection', async (_, send) => {
    const { port, seen } = await serve((_request, response) => send(response));
    const answer = await open.fetch(`http://127.0.0.1:${port}`, {}, 100_000);
    await expect(answer.text()).rejects.toThrow(new OutboundFailure('The answer is longer than 100000 bytes.'));
    await expect.poll(() => seen[0]!.socket.destroyed).toBe(true);
  });

  it('distinguishes an error of the caller from a failure of the server', async () => {
    await expect(open.fetch('http://127.0.0.1', { method: 'GET', body: 'x' })).rejects.toThrow(TypeError);
  });
});

describe('a name', () => {
  /** A client for which only one loopback address is public. Each lookup of the name gives the next of these. */
  class Resolving extends OutboundClient {
    lookups = 0;

    constructor(private readonly addresses: string[][]) {
      super({ outboundAllowPrivate: false });
    }

    protected override resolve() {
      const found = this.addresses[this.lookups++]!;
      return Promise.resolve(found.map((address) => ({ address, family: 4 })));
    }

    protected override isAllowed(address: string): boolean {
      return address === PUBLIC;
    }
  }
  const PUBLIC = '127.0.0.2';

  async function serveEverywhere(headers: Record<string, string> = {}) {
    const hosts: (string | undefined)[] = [];
    const connections = new Set<unknown>();
    const server = http.createServer((request, response) => {
      hosts.push(request.socket.localAddress);
      connections.add(request.socket);
      response.writeHead(200, headers).end('ok');
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    return { url: `http://rebinding.example:${(server.address() as AddressInfo).port}/`, hosts, connections };
  }

  const ways = [
    ['fetch', async (client: OutboundClient, url: string) => void (await (await client.fetch(url)).text())],
    ['send', async (client: OutboundClient, url: string) => void (await client.send(post(url)))],
  ] as const;

  it.each(ways)('is looked up once for a connection, which is used again (%s)', async (_, call) => {
    const { url, hosts, connections } = await serveEverywhere();
    const client = new Resolving(Array.from({ length: 9 }, () => [PUBLIC]));
    for (let again = 0; again < 9; again++) await call(client, url);
    expect(hosts).toEqual(Array.from({ length: 9 }, () => PUBLIC));
    // A call may begin before the previous connection is free.
    expect(connections.size).toBeLessThan(9);
    expect(client.lookups).toBe(connections.size);
  });

  it.each(ways)('that leads to a private address at the second look-up is refused then (%s)', async (_, call) => {
    const { url, hosts } = await serveEverywhere({ connection: 'close' });
    const client = new Resolving([[PUBLIC], ['127.0.0.1'], [PUBLIC, '10.0.0.1'], [PUBLIC]]);
    await call(client, url);
    for (let again = 0; again < 2; again++) {
      await expect(call(client, url)).rejects.toThrow('The URL is refused. Its host is not on the public internet.');
    }
    await call(client, url);
    expect([client.lookups, hosts]).toEqual([4, [PUBLIC, PUBLIC]]);
  });
});
