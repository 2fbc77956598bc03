//! Chat completions, as OpenAI defined them and many servers speak them. The verdict is the text of the answer,
//! held to a schema by servers that can.

use serde_json::{Value, json};

use super::endpoint::Endpoint;
use super::prompt::{self, Prompt};
use super::{ANSWER_TOKENS_MAX, NoReply, Provider, Reply, text, usage};

pub(super) struct OpenAi {
    /// OpenAI itself has renamed the bound that other servers still know by its old name.
    answer_bound: &'static str,
}

impl OpenAi {
    pub(super) fn at(endpoint: &Endpoint) -> Self {
        let renamed = endpoint.is_at("api.openai.com");
        Self { answer_bound: if renamed { "max_completion_tokens" } else { "max_tokens" } }
    }
}

impl Provider for OpenAi {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        ("authorization", "Bearer ")
    }

    fn body(&self, model: &str, prompt: &Prompt) -> Value {
        json!({
            "model": model,
            self.answer_bound: ANSWER_TOKENS_MAX,
            "messages": [
                { "role": "system", "content": prompt.system },
                { "role": "user", "content": prompt.user },
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": "verdict", "strict": true, "schema": prompt::schema() },
            },
        })
    }

    fn reply(&self, answer: &Value) -> Result<Reply, NoReply> {
        if text(answer, "/choices/0/finish_reason", "finish_reason")? != "stop" {
            return Err(NoReply::Cut);
        }
        let verdict = text(answer, "/choices/0/message/content", "content")?.trim().to_owned();
        let usage = usage(answer, "/usage/prompt_tokens", "/usage/completion_tokens");
        Ok(Reply { verdict, usage })
    }
}
