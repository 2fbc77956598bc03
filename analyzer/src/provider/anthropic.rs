//! Anthropic Messages, version 2023-06-01. The verdict is the input of a tool that the model must call.

use serde_json::{Value, json};

use super::prompt::{self, Prompt};
use super::{ANSWER_TOKENS_MAX, NoReply, Provider, Reply, text, usage};

const TOOL: &str = "verdict";

pub(super) struct Anthropic;

impl Provider for Anthropic {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        ("x-api-key", "")
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn body(&self, model: &str, prompt: &Prompt) -> Value {
        json!({
            "model": model,
            "max_tokens": ANSWER_TOKENS_MAX,
            "system": prompt.system,
            "messages": [{ "role": "user", "content": prompt.user }],
            "tools": [{
                "name": TOOL,
                "description": "Gives the verdict.",
                "input_schema": prompt::schema(),
            }],
            "tool_choice": { "type": "tool", "name": TOOL },
        })
    }

    fn reply(&self, answer: &Value) -> Result<Reply, NoReply> {
        if text(answer, "/stop_reason", "stop_reason")? != "tool_use" {
            return Err(NoReply::Cut);
        }
        let blocks = answer.get("content").and_then(Value::as_array).ok_or(NoReply::Missing("content"))?;
        let called = blocks.iter().find(|block| block["type"] == "tool_use" && block["name"] == TOOL);
        let input = called.and_then(|block| block.get("input")).ok_or(NoReply::Missing("verdict"))?;
        let usage = usage(answer, "/usage/input_tokens", "/usage/output_tokens");
        Ok(Reply { verdict: input.to_string(), usage })
    }
}
