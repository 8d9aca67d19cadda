import type { Examples } from '../../test/support/examples.js';

export default {
  bodies: {
    'POST /api/public/v2/trials': {
      prompt: { type: 'completion', content: [{ type: 'text', text: 'Hello' }] },
      model: { provider: 'tracesheet', name: 'echo' },
    },
  },
} satisfies Examples;
