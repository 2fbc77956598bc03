//! Ollama's chat. Its context window is set with the request: the default would cut a text without a word.

use serde_json::{Value, json};

use super::prompt::{self, Prompt};
use super::{ANSWER_TOKENS_MAX, NoReply, Provider, Reply, text, usage};

/// Tokens of the context window: the longest piece of text in a script with a token for each character, the
/// question around it, and the answer.
const CONTEXT_TOKENS: u64 = 16_384;

pub(super) struct Ollama;

impl Provider for Ollama {
    fn path(&self) -> &'static str {
        "/api/chat"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        ("authorization", "Bearer ")
    }

    fn body(&self, model: &str, prompt: &Prompt) -> Value {
        json!({
            "model": model,
            "stream": false,
            "messages": [
                { "role": "system", "content": prompt.system },
                { "role": "user", "content": prompt.user },
            ],
            "format": prompt::schema(),
            "options": { "temperature": 0, "num_predict": ANSWER_TOKENS_MAX, "num_ctx": CONTEXT_TOKENS },
        })
    }

    fn reply(&self, answer: &Value) -> Result<Reply, NoReply> {
        if answer.get("done").and_then(Value::as_bool) != Some(true) {
            return Err(NoReply::Cut);
        }
        let usage = usage(answer, "/prompt_eval_count", "/eval_count");
        let cut = |(request, reply): (u64, u64)| {
            request + ANSWER_TOKENS_MAX >= CONTEXT_TOKENS || reply >= ANSWER_TOKENS_MAX
        };
        if usage.is_some_and(cut) {
            return Err(NoReply::Cut);
        }
        let verdict = text(answer, "/message/content", "content")?.trim().to_owned();
        Ok(Reply { verdict, usage })
    }
}
