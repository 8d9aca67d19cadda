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
