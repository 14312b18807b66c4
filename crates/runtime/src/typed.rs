//! Code for the type of a dtype that is known only when it runs.

/// Evaluates an expression with the type of a dtype.
macro_rules! typed {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            openwork_algebra::DType::Bool => $crate::typed::typed!(@ bool, $T => $body),
            openwork_algebra::DType::I8 => $crate::typed::typed!(@ i8, $T => $body),
            openwork_algebra::DType::I16 => $crate::typed::typed!(@ i16, $T => $body),
            openwork_algebra::DType::I32 => $crate::typed::typed!(@ i32, $T => $body),
            openwork_algebra::DType::I64 => $crate::typed::typed!(@ i64, $T => $body),
            openwork_algebra::DType::U8 => $crate::typed::typed!(@ u8, $T => $body),
            openwork_algebra::DType::U16 => $crate::typed::typed!(@ u16, $T => $body),
            openwork_algebra::DType::U32 => $crate::typed::typed!(@ u32, $T => $body),
            openwork_algebra::DType::U64 => $crate::typed::typed!(@ u64, $T => $body),
            openwork_algebra::DType::F32 => $crate::typed::typed!(@ f32, $T => $body),
            openwork_algebra::DType::F64 => $crate::typed::typed!(@ f64, $T => $body),
            openwork_algebra::DType::C64 => $crate::typed::typed!(@ openwork_algebra::Complex<f32>, $T => $body),
            openwork_algebra::DType::C128 => $crate::typed::typed!(@ openwork_algebra::Complex<f64>, $T => $body),
        }
    };
    (@ $t:ty, $T:ident => $body:expr) => {{
        type $T = $t;
        $body
    }};
}

pub(crate) use typed;
