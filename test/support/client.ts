import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ContractChecker } from './contract-checker.js';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Parsed when it is JSON, otherwise the text. */
  body: unknown;
  bytes: Buffer;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Talks to a TestApp over HTTP. Every answer is held against the OpenAPI document the app itself builds. */
export class Client {
  constructor(
    private readonly app: NestFastifyApplication,
    private readonly contract: ContractChecker,
    readonly apiKey: string | null,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** The same client with further headers. */
  with(headers: Record<string, string>): Client {
    return new Client(this.app, this.contract, this.apiKey, { ...this.headers, ...headers });
  }

  async request(method: Method, url: string, payload?: unknown): Promise<Answer> {
    const key = this.apiKey === null ? {} : { 'x-api-key': this.apiKey };
    const response = await this.app.inject({
      method,
      url,
      headers: { ...key, ...this.headers },
      ...(payload !== undefined && { payload: payload as string | object }),
    });
    const json = /^application\/(scim\+)?json/.test(String(response.headers['content-type'] ?? ''));
    const body: unknown = json ? JSON.parse(response.body) : response.body;
    const answer = {
      status: response.statusCode,
      headers: response.headers as Answer['headers'],
      body,
      bytes: response.rawPayload,
    };
    this.contract.check(method, url, answer);
    return answer;
  }

  get(url: string, status = 200): Promise<unknown> {
    return this.expect(status, 'GET', url);
  }

  post(url: string, payload?: unknown, status = 200): Promise<unknown> {
    return this.expect(status, 'POST', url, payload);
  }

  patch(url: string, payload: unknown, status = 200): Promise<unknown> {
    return this.expect(status, 'PATCH', url, payload);
  }

  put(url: string, payload: unknown, status = 200): Promise<unknown> {
    return this.expect(status, 'PUT', url, payload);
  }

  delete(url: string, status = 200, payload?: unknown): Promise<unknown> {
    return this.expect(status, 'DELETE', url, payload);
  }

  private async expect(status: number, method: Method, url: string, payload?: unknown): Promise<unknown> {
    const answer = await this.request(method, url, payload);
    if (answer.status !== status) {
      throw new Error(
        `${method} ${url} answered ${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`,
      );
    }
    return answer.body;
  }
}
