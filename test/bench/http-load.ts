import http from 'node:http';

export interface LoadResult {
  /** Milliseconds from the first request to the last answer. */
  elapsedMs: number;
  /** Milliseconds of every request. */
  latencies: number[];
}

export interface Target {
  url: string;
  headers: Record<string, string>;
}

/**
 * Sends every body once with `clients` requests under way at any moment. Fails on the first answer that is neither a 200
 * nor a 201.
 */
export async function sendAll(target: Target, bodies: Buffer[], clients: number): Promise<LoadResult> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  const latencies: number[] = [];
  let next = 0;
  const client = async () => {
    while (next < bodies.length) {
      const body = bodies[next++]!;
      const start = performance.now();
      await post(target, body, agent);
      latencies.push(performance.now() - start);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  const elapsedMs = performance.now() - start;
  agent.destroy();
  return { elapsedMs, latencies };
}

function post({ url, headers }: Target, body: Buffer, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200 || response.statusCode === 201) resolve();
          else reject(new Error(`${url} answered ${response.statusCode}: ${Buffer.concat(chunks).toString()}`));
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
