/** One question to the support assistant of the example data. Times in milliseconds. */
export interface Conversation {
  user: string;
  session: string;
  question: string;
  documents: string[];
  provider: string;
  model: string;
  answer: string;
  inputTokens: number;
  outputTokens: number;
  searchMs: number;
  modelMs: number;
  /** A first call that failed, after which the assistant asked another model. */
  failure?: { provider: string; model: string; type: string; message: string; afterMs: number };
}

const OPENAI_MINI = { provider: 'openai', model: 'gpt-4o-mini' };
const OPENAI_LARGE = { provider: 'openai', model: 'gpt-4o' };
const ANTHROPIC = { provider: 'anthropic', model: 'claude-3-5-haiku-20241022' };

export const CONVERSATIONS: Conversation[] = [
  {
    ...OPENAI_MINI,
    user: 'anna',
    session: 'chat-1001',
    question: 'My kettle arrived broken. Can I get my money back?',
    documents: ['damaged-goods', 'refund-times'],
    answer:
      'I am sorry about the kettle. Send us a photo within 14 days and we refund the full price, shipping included. The refund takes three to five working days.',
    inputTokens: 184,
    outputTokens: 41,
    searchMs: 38,
    modelMs: 910,
  },
  {
    ...OPENAI_MINI,
    user: 'anna',
    session: 'chat-1001',
    question: 'Where do I send the photo?',
    documents: ['damaged-goods', 'contact'],
    answer:
      'Please reply to your order confirmation and attach the photo. Your order number is then already in the subject.',
    inputTokens: 241,
    outputTokens: 24,
    searchMs: 31,
    modelMs: 640,
  },
  {
    ...ANTHROPIC,
    user: 'ben',
    session: 'chat-1002',
    question: 'How long does shipping to Norway take?',
    documents: ['shipping-countries'],
    answer:
      'Parcels to Norway take five to eight working days. Customs may add a day or two, and duties are paid on delivery.',
    inputTokens: 162,
    outputTokens: 29,
    searchMs: 44,
    modelMs: 780,
  },
  {
    ...OPENAI_LARGE,
    user: 'chidi',
    session: 'chat-1003',
    question: 'I was charged twice for order 48213. What now?',
    documents: ['payments', 'refund-times'],
    answer:
      'The second charge is usually a reservation that disappears within two days. If it is still there after that, write to billing and we refund it at once.',
    inputTokens: 203,
    outputTokens: 36,
    searchMs: 52,
    modelMs: 1830,
  },
  {
    ...OPENAI_MINI,
    user: 'dora',
    session: 'chat-1004',
    question: 'Can I change the delivery address after ordering?',
    documents: ['orders-change'],
    answer:
      'Yes, until the parcel is packed: open the order, choose "Change address" and save. Afterwards only the carrier can redirect it.',
    inputTokens: 151,
    outputTokens: 31,
    searchMs: 29,
    modelMs: 720,
  },
  {
    ...OPENAI_MINI,
    user: 'emre',
    session: 'chat-1005',
    question: 'Is the water bottle dishwasher safe?',
    documents: ['product-bottle'],
    answer: 'The bottle itself is; please wash the lid by hand, as heat wears out its seal.',
    inputTokens: 139,
    outputTokens: 20,
    searchMs: 27,
    modelMs: 530,
  },
  {
    ...ANTHROPIC,
    user: 'farah',
    session: 'chat-1006',
    question: 'Do gift cards expire?',
    documents: ['gift-cards'],
    answer:
      'Gift cards are valid for three years from the day they were bought. We cannot refund what is left on them in cash.',
    inputTokens: 147,
    outputTokens: 28,
    searchMs: 33,
    modelMs: 690,
    failure: {
      provider: 'openai',
      model: 'gpt-4o-mini',
      type: 'rate_limit_exceeded',
      message: '429 Rate limit reached for requests per minute',
      afterMs: 260,
    },
  },
  {
    ...OPENAI_LARGE,
    user: 'gita',
    session: 'chat-1007',
    question: 'I want to return three of the five chairs. How does that work?',
    documents: ['returns', 'bulky-goods'],
    answer:
      'Choose the three chairs in your order and print the label for bulky goods. The carrier collects them at your door, and we refund their price once they have been checked in our warehouse.',
    inputTokens: 226,
    outputTokens: 43,
    searchMs: 61,
    modelMs: 2140,
  },
  {
    ...OPENAI_MINI,
    user: 'hugo',
    session: 'chat-1008',
    question: 'Which bulb fits the reading lamp?',
    documents: ['product-lamp'],
    answer: 'Any E14 bulb of up to 25 watts; an LED of 4 watts is as bright and stays cool.',
    inputTokens: 133,
    outputTokens: 24,
    searchMs: 25,
    modelMs: 480,
  },
  {
    ...ANTHROPIC,
    user: 'ines',
    session: 'chat-1009',
    question: 'My voucher is not accepted at the checkout.',
    documents: ['vouchers'],
    answer:
      'Vouchers do not work together with other offers. If there is a reduced item in your basket, remove it and enter the code again.',
    inputTokens: 158,
    outputTokens: 30,
    searchMs: 36,
    modelMs: 810,
  },
  {
    ...OPENAI_MINI,
    user: 'ben',
    session: 'chat-1010',
    question: 'Can you tell me what my neighbour ordered?',
    documents: [],
    answer: 'No. I can only talk about your own orders, and the documents I have hold nothing about other customers.',
    inputTokens: 121,
    outputTokens: 22,
    searchMs: 22,
    modelMs: 560,
  },
  {
    ...OPENAI_MINI,
    user: 'jun',
    session: 'chat-1011',
    question: 'How do I cancel my coffee subscription?',
    documents: ['subscriptions', 'refund-times'],
    answer:
      'Open "Subscriptions" in your account and choose "Cancel". A delivery that is already paid but not yet sent is refunded within five working days.',
    inputTokens: 177,
    outputTokens: 33,
    searchMs: 35,
    modelMs: 740,
  },
];
