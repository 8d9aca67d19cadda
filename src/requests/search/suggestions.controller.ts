import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { RateLimit } from '../../platform/http/rate-limit.js';
import { Throws } from '../../platform/http/throws.js';
import { refuseAsQuery, SuggestionsQuery, SuggestionsResponse, toSuggestionRequest } from './suggestions.dto.js';
import { LONGEST_SUGGESTION, LOOKED_AT } from './suggestions.queries.js';
import { SuggestionsService } from './suggestions.service.js';

@ApiTags('Request logs')
@Controller('api/public/v2/requests/suggestions')
export class SuggestionsController {
  constructor(private readonly suggestions: SuggestionsService) {}

  @EndsWithClient()
  @Get()
  @RateLimit({ name: 'requests.suggestions', perMinute: 'suggestionsPerMinute', noun: 'requests for suggestions' })
  @ApiOperation({
    summary: 'Suggest values for a filter, most frequent first.',
    description:
      `Looks at the newest ${LOOKED_AT} logs that match \`filter_group\`: a value that only occurs in older ones is not suggested. ` +
      `Values of more than ${LONGEST_SUGGESTION} characters are left out.`,
  })
  @ApiOkResponse({ type: SuggestionsResponse })
  @Throws(PlatformErrors.reading_timeout)
  async suggest(@CurrentCaller() caller: Caller, @Query() query: SuggestionsQuery): Promise<SuggestionsResponse> {
    const request = toSuggestionRequest(query);
    const values = await refuseAsQuery(() => this.suggestions.suggest(caller, request));
    return { success: true, values };
  }
}
