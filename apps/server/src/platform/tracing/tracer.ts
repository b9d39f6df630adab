/** What a span says besides its name; never a secret, a person's data or a full URL. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>

/** A request being answered, as one span with everything done for it beneath. */
export type RequestSpan = {
  /** Runs a step of the answering beneath the span. */
  run(step: () => void): void
  end(facts: SpanFacts & { readonly name: string; readonly status: number }): void
}

/** Follows the work of a request or a delivery through its parts. */
export interface Tracer {
  /** Whether anybody listens; where not, nothing is wrapped. */
  readonly isOn: boolean
  /** Begins a request's span, as a part of the trace that its `traceparent` header names. */
  request(headers: Readonly<Record<string, string | string[] | undefined>>): RequestSpan
  /** Runs `work` as a part of what is under way; by itself where nothing is. */
  part<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>
  /** Runs `work` as something of its own. */
  whole<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>
  /** Sends what is waiting, for at most a second. */
  close(): Promise<void>
}

/** Follows nothing. */
export const noTracer: Tracer = {
  isOn: false,
  request: () => ({ run: (step) => step(), end() {} }),
  part: (_name, _facts, work) => work(),
  whole: (_name, _facts, work) => work(),
  async close() {},
}
