import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Controller, Get, Module } from '@nestjs/common';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PlatformErrors } from '../../src/platform/errors/platform.errors.js';
import { BriefErrors } from '../../src/platform/http/request.js';
import { TestApp } from '../support/test-app.js';

@Controller('shapes')
class ShapesController {
  @Get('standard')
  standard(): never {
    throw PlatformErrors.json_unreadable();
  }

  @Get('brief')
  @BriefErrors()
  brief(): never {
    throw PlatformErrors.json_unreadable();
  }
}

@Module({ controllers: [ShapesController] })
class ShapesModule {}

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false, extensions: [ShapesModule] });
  await app.listen();
});
afterAll(() => app.stop());

it('words an error in the shape of the family its route belongs to', async () => {
  const answer = async (path: string) => {
    const { statusCode, body } = await app.app.inject({ url: path, headers: { 'x-api-key': app.apiKey } });
    return [statusCode, JSON.parse(body)] as unknown[];
  };
  const message = 'The body is not valid JSON.';
  expect(await answer('/shapes/standard')).toEqual([400, { success: false, message, error: 'json_unreadable' }]);
  expect(await answer('/shapes/brief')).toEqual([400, { success: false, message }]);
});

it('sums up the errors of a request in one sentence', async () => {
  const refusal = async (payload: object) => (await app.client.request('POST', '/api/public/v2/tables', payload)).body;
  expect(await refusal({ title: 7 })).toEqual({
    detail: [{ loc: ['body', 'title'], msg: expect.any(String), type: expect.any(String) }],
    message: expect.stringMatching(/^The request is not valid at body\.title: .+[^.]\.$/),
  });
  expect(await refusal({ title: 7, folder_id: 'x' })).toMatchObject({
    message: expect.stringMatching(/\(and 1 more fault in detail\)\.$/),
  });
});

it('answers a request that does not end in the same shape', async () => {
  const server = app.app.getHttpServer();
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [Socket];
  // Emits the error that the server raises after its timeout.
  server.emit('clientError', Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  const answer = await text(client);
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ success: false, error: 'request_too_slow' });
});

it('answers invalid HTTP and too long URLs in the same shape', async () => {
  const { port } = app.app.getHttpServer().address() as AddressInfo;
  const answer = async (request: string) => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(request);
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    return [head!.split('\r\n')[0], JSON.parse(body!)] as unknown[];
  };
  expect(await answer('Hello?\r\n\r\n')).toEqual([
    'HTTP/1.1 400 Bad Request',
    { success: false, message: 'The request is not valid HTTP.', error: 'request_unreadable' },
  ]);
  expect(await answer(`GET /api/public/v2/traces/search?q=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`)).toEqual([
    'HTTP/1.1 431 Request Header Fields Too Large',
    { success: false, message: expect.stringContaining('16384 bytes'), error: 'headers_too_large' },
  ]);
});
