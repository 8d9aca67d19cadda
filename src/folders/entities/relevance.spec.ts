import { describe, expect, it } from 'vitest';
import { Relevance } from './relevance.js';

const relevance = (query: string, text: string) => new Relevance(query).of(text);

describe('the relevance of a text', () => {
  it('is 1 for a text with all words of the query, in any order, letter case and context', () => {
    expect(relevance('refund policy', 'Policy for every REFUND, long or short')).toBe(1);
    expect(relevance('Straße', 'die straße')).toBe(1);
    expect(relevance('返金 ポリシー', 'ポリシー: 返金')).toBe(1);
  });

  it('is 0 when no words share a trigram', () => {
    expect(relevance('refund', 'shipping')).toBe(0);
    expect(relevance('refund', '')).toBe(0);
    expect(relevance('?! --', 'refund')).toBe(0);
    expect(relevance('', 'refund')).toBe(0);
  });

  it('is the share of trigrams that two words have in common', () => {
    // "  c", " ca", "cat", "at " and "  c", " ca", "car", "ar ": two of six.
    expect(relevance('cat', 'car')).toBeCloseTo(2 / 6, 10);
  });

  it('counts each word of the query alike, with the best word of the text', () => {
    expect(relevance('cat dog', 'dog cup')).toBeCloseTo((1 + 1 / 7) / 2, 10);
    expect(relevance('cat cat dog', 'cat')).toBeCloseTo(1 / 2, 10);
  });

  it('tolerates endings and typing errors, decreasing with their number', () => {
    const rates = ['refund', 'refunds', 'refnud', 'reload', 'shipping'].map((text) => relevance('refund', text));
    expect(rates).toEqual([...rates].sort((a, b) => b - a));
    expect(new Set(rates).size).toBe(rates.length);
  });

  it('is the same on the second text with the same words', () => {
    const query = new Relevance('refund policy');
    const first = query.of('refunds and policies');
    query.of('something else entirely');
    expect(query.of('policies and refunds')).toBe(first);
  });

  it('handles very long words and characters beyond the basic plane', () => {
    expect(relevance('x'.repeat(100_000), 'x'.repeat(200_000))).toBe(1);
    expect(relevance('🎉', '🎉')).toBe(0);
    expect(relevance('𝒜𝒷', '𝒜𝒷')).toBe(1);
  });
});
