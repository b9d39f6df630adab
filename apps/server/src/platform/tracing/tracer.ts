/** Attributes of a span; never a secret, personal data or a full URL. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>

export type RequestSpan = {
  run(step: () => void): void
  end(facts: SpanFacts & { readonly name: string; readonly status: number }): void
}

export interface Tracer {
  readonly isOn: boolean
  /** Begins the span of a request, within the trace that its `traceparent` header names. */
  request(headers: Readonly<Record<string, string | string[] | undefined>>): RequestSpan
  /** Runs `work` in a child span of the current one; without a span if there is none. */
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
