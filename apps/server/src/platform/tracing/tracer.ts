/** Attributes of a span. Never a secret, personal data or a full URL. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>

export type RequestSpan = {
  run(step: () => void): void
  end(facts: SpanFacts & { readonly name: string; readonly status: number }): void
}

export interface Tracer {
  readonly isOn: boolean
  /** Begins a request's span, within the trace that its `traceparent` header names. */
  request(headers: Readonly<Record<string, string | string[] | undefined>>): RequestSpan
  /** Runs `work` in a child span of the current span, or without a span if there is none. */
  part<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>
  whole<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

export const noTracer: Tracer = {
  isOn: false,
  request: () => ({ run: (step) => step(), end() {} }),
  part: (_name, _facts, work) => work(),
  whole: (_name, _facts, work) => work(),
  async close() {},
}
