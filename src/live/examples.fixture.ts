import type { Examples } from '../../test/support/examples.js';

export default {
  // A sheet that does not exist.
  queries: {
    'POST /ws-token-request-library': '?capability=smart_sheets%3Asmart_sheet%230198c0de-0000-7000-8000-000000000000',
  },
} satisfies Examples;
